//! The little linear algebra that least squares need.

/// The normal equations of weighted least squares: the matrix and the gradient. Errors beyond
/// `huber` weigh less, by the share that they are beyond it.
pub(crate) fn normal_equations(
    jacobian: &[Vec<f64>],
    residuals: &[f64],
    huber: f64,
) -> (Vec<Vec<f64>>, Vec<f64>) {
    let unknowns = jacobian.first().map_or(0, Vec::len);
    let mut matrix = vec![vec![0.0; unknowns]; unknowns];
    let mut gradient = vec![0.0; unknowns];
    for (row, residual) in jacobian.iter().zip(residuals) {
        let weight = (huber / residual.abs()).min(1.0);
        for (first, left) in row.iter().enumerate() {
            gradient[first] += weight * left * residual;
            for (second, right) in row.iter().enumerate() {
                matrix[first][second] += weight * left * right;
            }
        }
    }
    (matrix, gradient)
}

/// The change that solves (matrix + damping · its diagonal) · change = -gradient, by Gauss's
/// elimination; absent where the matrix has no inverse. An unknown that nothing depends on keeps
/// its value.
pub(crate) fn solve(matrix: &[Vec<f64>], gradient: &[f64], damping: f64) -> Option<Vec<f64>> {
    let unknowns = gradient.len();
    let mut rows: Vec<Vec<f64>> = (0..unknowns)
        .map(|at| {
            let mut row = matrix[at].clone();
            row[at] += damping * row[at] + f64::from(u8::from(row[at] < 1e-9));
            row.push(-gradient[at]);
            row
        })
        .collect();
    for column in 0..unknowns {
        let pivot = (column..unknowns)
            .max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()))?;
        rows.swap(column, pivot);
        if rows[column][column].abs() < 1e-300 {
            return None;
        }
        let (above, below) = rows.split_at_mut(column + 1);
        for row in below {
            let factor = row[column] / above[column][column];
            for (value, of_pivot) in row.iter_mut().zip(&above[column]).skip(column) {
                *value -= factor * of_pivot;
            }
        }
    }
    let mut solution = vec![0.0; unknowns];
    for at in (0..unknowns).rev() {
        let known: f64 = (at + 1..unknowns).map(|other| rows[at][other] * solution[other]).sum();
        solution[at] = (rows[at][unknowns] - known) / rows[at][at];
    }
    Some(solution)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_through_points_is_found_in_one_step() {
        // y = 2 + 3 x, from 0: the residuals are minus the values.
        let points = [(0.0, 2.0), (1.0, 5.0), (2.0, 8.0)];
        let jacobian: Vec<Vec<f64>> = points.iter().map(|(x, _)| vec![1.0, *x]).collect();
        let residuals: Vec<f64> = points.iter().map(|(_, y)| -y).collect();
        let (matrix, gradient) = normal_equations(&jacobian, &residuals, 100.0);
        let change = solve(&matrix, &gradient, 0.0).unwrap();
        assert!((change[0] - 2.0).abs() < 1e-9 && (change[1] - 3.0).abs() < 1e-9, "{change:?}");
    }

    #[test]
    fn what_nothing_depends_on_stays() {
        let (matrix, gradient) = normal_equations(&[vec![1.0, 0.0]], &[-1.0], 100.0);
        assert_eq!(solve(&matrix, &gradient, 0.0).unwrap(), [1.0, 0.0]);
    }
}
